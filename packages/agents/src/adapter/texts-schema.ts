import { z } from "zod";

/** A map of texts by name. */
export const textsSchema = z.custom<{ [name: string]: string }>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((header) => typeof header === "string"),
  "expected an object of texts",
);
