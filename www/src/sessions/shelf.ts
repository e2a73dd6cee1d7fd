import type { SessionInfo } from "steersman/session";
import type { Conversation } from "../conversation.js";
import { Drawer } from "../view/drawer.js";
import type { ExportChoice } from "../view/export-form.js";
import { acceptFiles } from "../view/file-drop.js";
import { SessionList } from "../view/session-list.js";
import type { Library } from "./library.js";
import { storageTrouble } from "./storage-words.js";
import { titleOf } from "./titles.js";

/** What the shelf asks of the page. */
export interface ShelfContext {
  current(): Conversation;
  open(info: { id: string }): void;
  /** Begins a new conversation. */
  begin(): void;
}

/** The list of conversations, and what is done with them. */
export class Shelf {
  private readonly list: SessionList;
  private readonly drawer: Drawer;
  private asked = false;

  constructor(
    private readonly library: Library,
    private readonly context: ShelfContext,
  ) {
    this.list = new SessionList({
      open: (id) => {
        this.drawer.close();
        context.open({ id });
      },
      rename: (id, name) => void this.rename(id, name),
      remove: (info) => void this.remove(info),
      save: (info, choice) => void this.save(info, choice),
      import: (files) => void this.import(files),
      close: () => this.drawer.close(),
    });
    this.drawer = new Drawer(this.list.element);
    acceptFiles((files) => void this.import(files));
    library.catalog.subscribe(() => void this.draw());
    void this.draw();
  }

  setCurrent(id: string | undefined): void {
    this.list.setCurrent(id);
  }

  setLocked(locked: boolean): void {
    this.list.setLocked(locked);
  }

  /** Asks the browser, once, not to throw away what is kept: best after something was done. */
  async keep(): Promise<void> {
    if (this.asked) return;
    this.asked = true;
    await this.library.catalog.persist();
    await this.draw();
  }

  private async draw(): Promise<void> {
    const { infos, problem } = await this.library.list();
    this.list.draw(infos, problem === undefined);
    this.list.tell(problem === undefined ? await this.whereKept() : `${storageTrouble(problem).title}.`);
  }

  private async whereKept(): Promise<string> {
    const { catalog } = this.library;
    const [{ usage }, safe] = await Promise.all([catalog.estimate(), navigator.storage?.persisted?.()]);
    const used = usage > 0 ? `, ${(usage / 1e6).toFixed(1)} MB` : "";
    return `Only in this browser${used}. ${
      safe
        ? "It keeps them until you delete them."
        : "It may remove them when room gets short: export what matters."
    }`;
  }

  private async rename(id: string, name: string): Promise<void> {
    await this.attempt(async () => {
      const current = this.context.current();
      if (id === current.id && current.writable) await current.rename(name);
      else await this.library.catalog.rename(id, name);
    });
  }

  private async remove(info: SessionInfo): Promise<void> {
    const { id } = info;
    const title = titleOf(info);
    await this.attempt(async () => {
      const wasOpen = id === this.context.current().id;
      if (wasOpen) this.context.begin();
      const file = await this.library.remove(id);
      await this.draw();
      this.list.note([`Deleted “${title}”.`], {
        label: "Undo",
        act: () =>
          void this.attempt(async () => {
            await this.library.catalog.import(file);
            if (wasOpen) this.context.open({ id });
            await this.draw();
            this.list.focus(id);
          }),
      });
    });
  }

  private async save(info: SessionInfo, choice: ExportChoice): Promise<void> {
    await this.attempt(async () => {
      const replaced = await this.library.save(info, choice);
      const places =
        replaced === 1
          ? "One place that looked like a key was"
          : `${replaced} places that looked like keys were`;
      this.list.note([`Saved “${titleOf(info)}”.`, ...(replaced > 0 ? [`${places} replaced.`] : [])]);
    });
  }

  private async import(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    const results = [];
    for (const file of files) results.push(await this.library.import(file));
    await this.draw();
    const taken = results.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const [id] = taken;
    if (id !== undefined && taken.length === 1) this.context.open({ id });
    this.list.note(
      results.flatMap(({ words }) => words),
      undefined,
      taken.length < files.length,
    );
  }

  /** What fails is said. */
  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const { title, advice } = storageTrouble((error as { code?: string }).code ?? "failed");
      this.list.note([`${title}. ${advice}`], undefined, true);
    }
  }
}
