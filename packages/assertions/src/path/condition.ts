import { deepEqual } from "@turnwise/core";
import type { Comparison, Condition, Operand } from "./path.js";
import { lookUp } from "./path.js";

/** Whether a condition of a filter holds for a node (RFC 9535, section 2.3.5). */
export function holds(condition: Condition, node: unknown): boolean {
  switch (condition.kind) {
    case "or":
      return condition.conditions.some((inner) => holds(inner, node));
    case "and":
      return condition.conditions.every((inner) => holds(inner, node));
    case "not":
      return !holds(condition.condition, node);
    case "exists":
      return lookUp(node, condition.path).found;
    case "compare":
      return compare(
        valueOf(condition.left, node),
        condition.operator,
        valueOf(condition.right, node),
      );
  }
}

/** Undefined where nothing stands: JSON holds no undefined. */
function valueOf(operand: Operand, node: unknown): unknown {
  if ("value" in operand) return operand.value;
  const hit = lookUp(node, operand.path);
  return hit.found ? hit.value : undefined;
}

function compare(left: unknown, operator: Comparison, right: unknown): boolean {
  switch (operator) {
    case "==":
      return deepEqual(left, right);
    case "!=":
      return !deepEqual(left, right);
    case "<":
      return isLess(left, right);
    case ">":
      return isLess(right, left);
    case "<=":
      return isLess(left, right) || deepEqual(left, right);
    case ">=":
      return isLess(right, left) || deepEqual(left, right);
  }
}

/** Numbers and texts have an order, nothing else has. */
function isLess(left: unknown, right: unknown): boolean {
  if (typeof left === "number" && typeof right === "number") return left < right;
  if (typeof left !== "string" || typeof right !== "string") return false;
  // By Unicode scalar values, which UTF-8 keeps in order and UTF-16 does not.
  return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;
}
