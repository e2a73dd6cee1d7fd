import * as steersman from "steersman";
import { use } from "./app.mjs";

globalThis.result = use(steersman);
