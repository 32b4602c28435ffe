import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createProgram, runAndExit } from "@turnwise/cli";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

await runAndExit(
  (signal) =>
    createProgram({
      version: manifest.version,
      signal,
      plugins: [
        () => import("@turnwise/assertions"),
        () => import("@turnwise/agents"),
        () => import("@turnwise/reporters"),
      ],
      alias: {
        turnwise: fileURLToPath(new URL("./index.js", import.meta.url)),
        "@turnwise/core": fileURLToPath(import.meta.resolve("@turnwise/core")),
      },
    }),
  process.argv.slice(2),
);
