/*
 * What an agent or a file says must not be able to move the cursor, recolour the screen, hide text or reverse it:
 * escape sequences, control characters and bidirectional overrides go.
 */
/* oxlint-disable no-control-regex -- control characters are the point */
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;
const controls =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Text that is safe on a terminal. Line breaks and tabs stay. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(escapes, "").replaceAll(controls, "");
}
