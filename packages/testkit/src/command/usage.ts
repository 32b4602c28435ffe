/** The command was called in a way that it does not know. */
export class UsageError extends Error {}

/** What `--help` prints. */
export const usage = `Usage: turnwise-testkit model [options]

Starts a fake of an OpenAI-compatible server, and says a line for every request.
It ends on Ctrl-C.

Options:
  --port <number>  port to listen on (default: 8080; 0 for a free one)
  --host <name>    address to listen on (default: 127.0.0.1)
  --script <file>  what it says: .yaml, .yml or .json (default: it repeats the user)
  --api-key <key>  the only API key that is let in (default: any, or none)
  -h, --help       this text
`;
