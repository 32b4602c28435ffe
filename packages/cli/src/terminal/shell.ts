/** A run as one would type it. */
export function commandOf(args: readonly string[]): string {
  return ["npx", "turnwise", "test", ...args].map(quoted).join(" ");
}

/** An argument that a shell takes as it is. */
export function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument)
    ? argument
    : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
