// Runs as a process of its own: a script that does not come to an end, or takes all memory, can only be stopped by ending it.
import { Worker } from "node:worker_threads";
import { createJiti } from "jiti";

const { root, alias, memory, outgrown, parent } = JSON.parse(process.argv[2]);
// The channel is ours: code that uses one if there is one must not answer in our place, or close it.
const send = process.send.bind(process);
process.send = undefined;
process.disconnect = undefined;
// Or what was printed last would be lost when the process ends.
for (const { _handle: handle } of [process.stdout, process.stderr]) handle?.setBlocking?.(true);
const jiti = createJiti(`${root}/`, { alias, interopDefault: false });

// A script that never gives control back does not notice that the run was killed, nor V8 the size of buffers.
const watch = `
  import { writeSync } from "node:fs";
  import { workerData } from "node:worker_threads";
  const { parent, outgrown, most } = workerData;
  const end = () => process.kill(process.pid, "SIGKILL");
  setInterval(() => {
    if (process.ppid !== parent) end();
    if (process.memoryUsage.rss() < most) return;
    writeSync(2, outgrown);
    end();
  }, 100);`;
// Half of it is for what Node holds besides the objects of a script.
const most = 2 * memory * 2 ** 20;
new Worker(new URL(`data:text/javascript,${encodeURIComponent(watch)}`), {
  workerData: { parent, outgrown, most },
}).unref();
process.on("disconnect", () => process.exit());
// Ctrl+C reaches the whole group; the run decides what it means.
process.on("SIGINT", () => undefined);
process.on("uncaughtException", (error) => {
  send({ kind: "late", ...facts(error) }, () => process.exit(1));
});
process.on("message", (message) => {
  // Answered only while the event loop turns.
  if (message === "ping") send({ kind: "pong" });
  else void answer(message);
});

async function answer({ file, exportName, data }) {
  let script;
  try {
    const module = await jiti.import(file);
    const whole = exportName === "default" && typeof module === "function";
    script = whole || !Object.hasOwn(module, exportName) ? module : module[exportName];
    if (typeof script !== "function") {
      send({ kind: "export", names: Object.keys(module) });
      return;
    }
  } catch (error) {
    send({ kind: "load", ...facts(error) });
    return;
  }
  // From here on it is the time of the script.
  send({ kind: "began" });
  let result;
  try {
    result = await script(data);
  } catch (error) {
    send({ kind: "threw", ...facts(error) });
    return;
  }
  try {
    send({ kind: "returned", result });
  } catch (error) {
    send({ kind: "uncloneable", ...facts(error) });
  }
}

/** What is known of whatever was thrown, in a form that can be posted. Never throws. */
function facts(thrown, depth = 0) {
  try {
    if (!(thrown instanceof Error))
      return {
        message: typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown)),
      };
    // Whoever throws may have put anything there.
    const { message, name, stack, cause } = /** @type {Record<string, unknown>} */ (thrown);
    return {
      message: String(message || name),
      stack: typeof stack === "string" ? stack : "",
      ...(cause instanceof Error && depth < 3 ? { cause: facts(cause, depth + 1) } : {}),
    };
  } catch {
    return { message: "a value that cannot be shown" };
  }
}
