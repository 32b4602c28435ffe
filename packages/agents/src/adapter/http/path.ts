/** Names, quoted names, indexes and `[*]`; `$.` in front may be left out. */
const syntax =
  /^(\$|[\p{L}_][\p{L}\p{N}_-]*)(\.[\p{L}_][\p{L}\p{N}_-]*|\.\*|\[\d+\]|\[\*\]|\['[^']*'\])*$/u;

/** Whether a text is a path that places of a reply can be named by. */
export function isPath(text: string): boolean {
  return syntax.test(text);
}
