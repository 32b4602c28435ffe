// Runs in a worker: a pattern that backtracks for ever can only be stopped by ending its thread.

/** The first match of a pattern, without the text around it. */
export default function find({ source, flags, text }) {
  const found = new RegExp(source, flags).exec(text);
  return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
}
