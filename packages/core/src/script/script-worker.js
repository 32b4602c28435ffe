// oxlint-disable unicorn/require-post-message-target-origin -- of a thread, not of a window
// Runs in a worker: a script that does not come to an end can only be stopped by ending its thread.
import { parentPort, workerData } from "node:worker_threads";
import { createJiti } from "jiti";

const { root, alias } = workerData;
const jiti = createJiti(`${root}/`, { alias, interopDefault: false });

parentPort.on("message", (message) => {
  // Answered only while the event loop turns.
  if (message === "ping") parentPort.postMessage({ kind: "pong" });
  else void answer(message);
});

async function answer({ file, exportName, data }) {
  let script;
  try {
    const module = await jiti.import(file);
    const whole = exportName === "default" && typeof module === "function";
    script = whole || !Object.hasOwn(module, exportName) ? module : module[exportName];
    if (typeof script !== "function") {
      parentPort.postMessage({ kind: "export", names: Object.keys(module) });
      return;
    }
  } catch (error) {
    parentPort.postMessage({ kind: "load", ...facts(error) });
    return;
  }
  // From here on it is the time of the script.
  parentPort.postMessage({ kind: "began" });
  let result;
  try {
    result = await script(data);
  } catch (error) {
    parentPort.postMessage({ kind: "threw", ...facts(error) });
    return;
  }
  try {
    parentPort.postMessage({ kind: "returned", result });
  } catch (error) {
    parentPort.postMessage({ kind: "uncloneable", ...facts(error) });
  }
}

/** What is known of whatever was thrown, in a form that can be posted. */
function facts(error) {
  if (!(error instanceof Error)) return { message: String(error) };
  return { message: error.message || error.name, stack: error.stack ?? "" };
}
