/** `steersman/testing`: for tests of applications. */
export { type Crash, crashEngine } from "../engine/crash.js";
