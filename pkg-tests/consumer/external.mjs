import * as steersman from "steersman/external";
import { use } from "./app.mjs";

globalThis.result = steersman.init().then(() => use(steersman));
