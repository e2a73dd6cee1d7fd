// The stores, by the suite of all of them.
import { MemoryStore } from "../../npm/dist/session.js";
import { contract } from "./contract.mjs";

contract("memory", () => new MemoryStore());
