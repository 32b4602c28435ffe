// The command line of Turnwise as a library: the app wires plugins into it.
export type { Output } from "./output.js";
export type { Program, ProgramOptions } from "./program.js";
export type { CommandDefinition } from "./commands.js";
export { commands, exitCodeMeanings } from "./commands.js";
export { createProgram } from "./program.js";
export { runAndExit } from "./run-and-exit.js";
