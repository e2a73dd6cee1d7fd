import type { AgentEventWithApprovals } from "steersman";
import type { SessionEvent } from "steersman/session";
import { byId, clip, h } from "../dom.js";

/** Rows that are kept. */
const limit = 400;

/** Every event of the agent, newest last, with the raw deltas. Kept as text while the panel is closed. */
export class EventLog {
  private readonly panel = byId<HTMLDetailsElement>("event-panel");
  private readonly count = byId("event-count");
  private readonly list = h("ol", {
    class: "event-list",
    tabindex: 0,
    "aria-label": "Events of the agent, newest last",
  });
  private rows: [type: string, text: string][] = [];
  private total = 0;
  private drawn = 0;
  private scheduled = false;

  constructor() {
    byId("events").append(
      h("p", { class: "hint" }, `What the agent reports, the last ${limit} entries.`),
      this.list,
    );
    this.panel.addEventListener("toggle", () => this.panel.open && this.drawAll());
    this.clear();
  }

  /** An event of the agent. */
  add(event: AgentEventWithApprovals): void {
    this.row(event.type === "message_update" ? event.assistantMessageEvent.type : event.type, summary(event));
  }

  /** An event of the session. */
  addSession(event: SessionEvent): void {
    this.row(event.type, event.type === "entry_added" ? event.entry.type : "");
  }

  /** What a provider sent, before it was interpreted. */
  addRaw(data: unknown): void {
    this.row("provider", JSON.stringify(data) ?? "");
  }

  clear(): void {
    this.rows = [];
    this.total = this.drawn = 0;
    this.list.replaceChildren();
    this.count.textContent = "none yet";
  }

  private row(type: string, text: string): void {
    this.rows.push([type, clip(text, 1000)]);
    this.total++;
    // In blocks, so that trimming costs a constant per event.
    if (this.rows.length > limit * 2) this.rows = this.rows.slice(-limit);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.count.textContent = String(this.total);
      if (this.panel.open) this.drawNew();
    });
  }

  private drawAll(): void {
    this.list.replaceChildren();
    this.drawn = this.total - Math.min(this.rows.length, limit);
    this.drawNew();
  }

  private drawNew(): void {
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 32;
    const fresh = Math.min(this.total - this.drawn, this.rows.length, limit);
    const rows = fresh > 0 ? this.rows.slice(-fresh) : [];
    this.list.append(...rows.map(([type, text]) => h("li", {}, h("b", {}, type), " ", h("span", {}, text))));
    while (this.list.childElementCount > limit) this.list.firstElementChild?.remove();
    this.drawn = this.total;
    if (atEnd) this.list.scrollTop = this.list.scrollHeight;
  }
}

/** What makes this event different from others of its type. */
function summary(event: AgentEventWithApprovals): string {
  switch (event.type) {
    case "message_start":
    case "message_end":
      return event.message.role;
    case "message_update": {
      const update = event.assistantMessageEvent;
      return "delta" in update ? JSON.stringify(update.delta) : "";
    }
    case "tool_execution_start":
      return `${event.toolName} ${JSON.stringify(event.args)}`;
    case "tool_approval_request":
    case "tool_execution_update":
      return event.toolName;
    case "tool_execution_end":
      return `${event.toolName}${event.isError ? " failed" : ""}`;
    case "turn_end":
      return `${event.toolResults.length} tool results`;
    case "agent_end":
      return `${event.messages.length} new messages`;
    default:
      return "";
  }
}
