/** `steersman/html`: a session as one page to read, safe to open and to send, and the session out of it again. */
export * from "../html/index.js";
