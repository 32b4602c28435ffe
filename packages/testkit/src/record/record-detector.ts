import type { Detection, Detector, Message, NormalReply } from "@turnwise/core";

/** A detector with a fixed verdict. */
export interface RecordingDetector extends Detector {
  /** What it was asked about, in order. */
  readonly calls: readonly {
    readonly reply: NormalReply;
    readonly messages: readonly Message[];
  }[];
}

/** Makes a detector that always finds the same. */
export function recordDetector(detection: Detection): RecordingDetector {
  const calls: RecordingDetector["calls"][number][] = [];
  const detect: Detector = (reply, { messages }) => {
    calls.push({ reply, messages: [...messages] });
    return detection;
  };
  return Object.assign(detect, { calls });
}
