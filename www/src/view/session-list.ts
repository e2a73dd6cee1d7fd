import type { SessionInfo } from "steersman/session";
import { button, h } from "../dom.js";
import { announce } from "./announcer.js";
import { type SessionActions, SessionRow } from "./session-row.js";

/** What the list asks for. */
export interface SessionListActions extends SessionActions {
  import(files: readonly File[]): void;
  /** Closes the drawer that the list is in. */
  close(): void;
}

/** The stored conversations, newest first. */
export class SessionList {
  readonly element: HTMLElement;
  private readonly list = h("ul", { class: "session-list", "aria-label": "Stored conversations" });
  private readonly empty = h(
    "p",
    { class: "hint" },
    "Conversations are kept here as soon as something was said.",
  );
  private readonly notes = h("div", { class: "session-notes" });
  private readonly footer = h("p", { class: "hint storage-note" });
  private readonly rows = new Map<string, SessionRow>();
  private current: string | undefined;
  private locked = false;

  constructor(private readonly actions: SessionListActions) {
    const input = h("input", {
      type: "file",
      multiple: true,
      accept: ".jsonl,.json,.html,.txt",
      hidden: true,
    });
    input.addEventListener("change", () => {
      actions.import([...(input.files ?? [])]);
      input.value = "";
    });
    this.element = h(
      "div",
      { class: "sessions" },
      h(
        "div",
        { class: "sessions-head" },
        h("h2", {}, "Conversations"),
        button("Import", { class: "quiet", id: "import" }, () => input.click()),
        button("Close", { class: "quiet drawer-close" }, () => actions.close()),
        input,
      ),
      this.notes,
      this.empty,
      this.list,
      this.footer,
    );
  }

  /**
   * Draws the list. Rows that were there stay, with the focus in them.
   *
   * @param keeps whether conversations can be kept here
   */
  draw(infos: readonly SessionInfo[], keeps: boolean): void {
    const focused = document.activeElement;
    const gone = new Set(this.rows.keys());
    infos.forEach((info, place) => {
      gone.delete(info.id);
      const row = this.row(info);
      if (this.list.children[place] !== row.element)
        this.list.insertBefore(row.element, this.list.children[place] ?? null);
    });
    for (const id of gone) {
      this.rows.get(id)?.element.remove();
      this.rows.delete(id);
    }
    this.empty.hidden = infos.length > 0 || !keeps;
    // Moving an element takes the focus out of it.
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus();
  }

  setCurrent(id: string | undefined): void {
    this.current = id;
    for (const [of, row] of this.rows) row.setCurrent(of === id);
  }

  /** Goes to a conversation of the list. */
  focus(id: string): void {
    this.rows.get(id)?.focus();
  }

  setLocked(locked: boolean): void {
    this.locked = locked;
    for (const row of this.rows.values()) row.setLocked(locked);
  }

  /** What stands below the list: where conversations are kept. */
  tell(text: string): void {
    this.footer.textContent = text;
  }

  /** Something that happened to a conversation of the list, until it is put away or replaced. Takes the focus. */
  note(lines: readonly string[], action?: { label: string; act(): void }, bad = false): void {
    const put = (focus = true) => {
      this.notes.replaceChildren();
      if (focus) this.element.querySelector<HTMLElement>("#import")?.focus();
    };
    const acting =
      action &&
      button(action.label, {}, () => {
        put();
        action.act();
      });
    const close = button("Close", { class: "quiet" }, () => put());
    this.notes.replaceChildren(
      h(
        "section",
        { class: bad ? "session-note problem-note" : "session-note", "aria-label": "Note" },
        ...lines.map((line) => h("p", {}, line)),
        h("div", { class: "row" }, acting, close),
      ),
    );
    announce(lines.join(" "));
    (acting ?? close).focus();
  }

  private row(info: SessionInfo): SessionRow {
    let row = this.rows.get(info.id);
    if (row) row.draw(info);
    else {
      row = new SessionRow(info, this.actions, (open) => {
        for (const other of this.rows.values()) if (other !== open) other.fold();
      });
      row.setLocked(this.locked);
      this.rows.set(info.id, row);
    }
    row.setCurrent(info.id === this.current);
    return row;
  }
}
