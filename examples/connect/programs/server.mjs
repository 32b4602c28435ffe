// The assistant as a web server: node programs/server.mjs [port]
import { createServer } from "node:http";
import { assistant } from "./assistant.mjs";

/** Conversations of /talk, by the id that the server gave them. */
const talks = new Map();
let issued = 0;

const routes = {
  // The default wire: the whole conversation in every request, the reply as JSON.
  "/chat": ({ messages }, response) => json(response, assistant(messages)),
  // The same as a stream of server-sent events. Pieces of text are called delta.
  "/chat/sse": ({ messages }, response) =>
    stream(response, "text/event-stream", assistant(messages), (event) => `data: ${event}\n\n`),
  // The same as a stream of lines.
  "/chat/ndjson": ({ messages }, response) =>
    stream(response, "application/x-ndjson", assistant(messages), (event) => `${event}\n`),
  // A server with a format and a memory of its own. It names the conversation in its first answer.
  "/talk": ({ conversation, say, results = [] }, response) => {
    const id = talks.has(conversation) ? conversation : `talk-${++issued}`;
    const messages = talks.get(id) ?? [];
    talks.set(id, messages);
    for (const { name, result, error } of results)
      messages.push({
        role: "tool",
        tool_name: name,
        content: typeof result === "string" ? result : JSON.stringify(result ?? { error }),
      });
    if (say !== undefined) messages.push({ role: "user", content: say });
    const { content, tool_calls = [] } = assistant(messages);
    messages.push({ role: "assistant", content });
    json(response, {
      conversation: id,
      answer: { text: content },
      actions: tool_calls.map(({ name, args }) => ({ tool: name, input: args })),
      status: tool_calls.length > 0 ? "tool_calls" : "stop",
    });
  },
};

const server = createServer(async (request, response) => {
  const route = routes[request.url];
  if (route === undefined) return json(response, { error: "there is nothing here" }, 404);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return route(JSON.parse(Buffer.concat(chunks).toString("utf8")), response);
});
server.listen(Number(process.argv[2] ?? 8090), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

function json(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function stream(response, type, { content, ...rest }, frame) {
  response.writeHead(200, { "content-type": type });
  for (const word of content.split(/(?<= )/))
    response.write(frame(JSON.stringify({ delta: word })));
  response.end(frame(JSON.stringify({ delta: "", ...rest })));
}
