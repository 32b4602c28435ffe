import type { AgentReply, AgentRequest } from "turnwise";

/*
 * An assistant of a tea shop, to have something to test. Put your own agent here: whatever takes a message and gives a
 * reply. What it remembers of a conversation it keeps by the session id, since conversations run in parallel.
 */
const orders = new Map<string, { tea: string | undefined; cups: number | undefined }>();

export default {
  description: "Takes orders for tea.",
  tools: [{ name: "place_order", description: "Places an order of tea." }],

  respond({ sessionId, input }: AgentRequest): AgentReply {
    const said = String(input).toLowerCase();
    const order = orders.get(sessionId) ?? { tea: undefined, cups: undefined };
    orders.set(sessionId, order);
    order.tea ??= /green|black|mint/.exec(said)?.[0];
    order.cups ??= Number(/\d+/.exec(said)?.[0]) || undefined;
    if (order.tea === undefined)
      return { content: "Which tea would you like: green, black or mint?" };
    if (order.cups === undefined) return { content: `How many cups of ${order.tea} tea?` };
    if (!/\byes\b/.test(said))
      return { content: `${order.cups} cups of ${order.tea} tea. Shall I place the order?` };
    return {
      content: `Your order is placed: ${order.cups} cups of ${order.tea} tea.`,
      toolCalls: [{ name: "place_order", arguments: { ...order }, result: { status: "placed" } }],
      state: { order: { ...order, status: "placed" } },
    };
  },

  close(sessionId: string) {
    orders.delete(sessionId);
  },
};
