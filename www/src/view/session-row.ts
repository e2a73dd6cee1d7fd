import type { SessionInfo } from "steersman/session";
import { button, h } from "../dom.js";
import { ago } from "../sessions/times.js";
import { titleOf } from "../sessions/titles.js";
import { type ExportChoice, exportForm } from "./export-form.js";
import { renameForm } from "./rename-form.js";

/** What can be done with a conversation of the list. */
export interface SessionActions {
  open(id: string): void;
  rename(id: string, name: string): void;
  remove(info: SessionInfo): void;
  save(info: SessionInfo, choice: ExportChoice): void;
}

/** A conversation of the list, with what can be done with it to unfold. */
export class SessionRow {
  readonly element: HTMLElement;
  private readonly title = h("span", { class: "session-title" });
  private readonly facts = h("span", { class: "session-facts" });
  private readonly opener: HTMLButtonElement;
  private readonly more: HTMLButtonElement;
  private readonly place = h("div", { class: "session-more", hidden: true });
  private info: SessionInfo;

  /** @param unfolded told that this row shows what can be done with it */
  constructor(
    info: SessionInfo,
    private readonly actions: SessionActions,
    private readonly unfolded: (row: SessionRow) => void,
  ) {
    this.info = info;
    this.opener = button("", { class: "session-open" }, () => actions.open(this.info.id));
    this.opener.append(this.title, this.facts);
    this.place.id = `more-${info.id}`;
    const attributes = {
      class: "quiet session-menu",
      "aria-expanded": "false",
      "aria-controls": this.place.id,
    };
    this.more = button("⋯", attributes, () => (this.place.hidden ? this.unfold() : this.fold()));
    this.element = h(
      "li",
      { class: "session" },
      h("div", { class: "session-line" }, this.opener, this.more),
      this.place,
    );
    this.draw(info);
  }

  draw(info: SessionInfo): void {
    this.info = info;
    const { messageCount: count, modified } = info;
    const title = titleOf(info);
    this.title.textContent = title;
    this.title.title = title;
    this.facts.textContent = `${ago(modified)} · ${count} message${count === 1 ? "" : "s"}`;
    this.more.setAttribute("aria-label", `More for ${title}`);
  }

  setCurrent(current: boolean): void {
    if (current) this.opener.setAttribute("aria-current", "true");
    else this.opener.removeAttribute("aria-current");
  }

  /** A conversation cannot be left while it is being answered. */
  setLocked(locked: boolean): void {
    this.opener.disabled = locked;
    this.more.disabled = locked;
    if (locked) this.fold();
  }

  focus(): void {
    this.opener.focus();
  }

  fold(): void {
    const hadFocus = this.place.contains(document.activeElement);
    this.place.hidden = true;
    this.more.setAttribute("aria-expanded", "false");
    if (hadFocus) this.more.focus();
  }

  private unfold(): void {
    const { info, actions } = this;
    this.fill(
      h(
        "div",
        { class: "row" },
        button("Rename", {}, () =>
          this.ask(
            renameForm(
              info.name ?? titleOf(info),
              (name) => this.rename(name),
              () => this.fold(),
            ),
          ),
        ),
        button("Export", {}, () =>
          this.ask(
            exportForm(
              (choice) => {
                this.fold();
                actions.save(info, choice);
              },
              () => this.fold(),
            ),
          ),
        ),
        button("Delete", { class: "danger" }, () => actions.remove(info)),
      ),
    );
    this.unfolded(this);
  }

  private rename(name: string): void {
    this.fold();
    this.actions.rename(this.info.id, name);
  }

  private ask(form: HTMLElement): void {
    this.fill(form);
    const input = form.querySelector<HTMLInputElement>("input");
    input?.focus();
    if (input?.type === "text") input.select();
  }

  private fill(content: HTMLElement): void {
    this.place.replaceChildren(content);
    this.place.hidden = false;
    this.more.setAttribute("aria-expanded", "true");
  }
}
