import type { HttpClient } from "./http-client.js";

/** `fetch` as model SDKs need it: text out, a stream of bytes back. No redirects, no compression. */
export function fetchOver(client: HttpClient): typeof fetch {
  return async (input, init = {}) => {
    const { body, headers, method = "GET", signal } = init;
    if (typeof body !== "string" && body !== undefined && body !== null)
      throw new TypeError("expected a text as the body of a request");
    const answer = await client.send({
      method,
      url: new URL(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(headers)),
      body: body ?? undefined,
      signal: signal ?? new AbortController().signal,
    });
    const response = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value ?? []].flat()) response.append(name, one);
    const empty = [204, 205, 304].includes(answer.status);
    if (empty) answer.discard();
    return new Response(empty ? null : ReadableStream.from(answer.body()), {
      status: answer.status,
      headers: response,
    });
  };
}
