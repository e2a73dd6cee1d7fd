import { redact, SessionCatalog, SessionError, type SessionInfo, SessionTree } from "steersman/session";
import { save } from "../download.js";
import type { ExportChoice } from "../view/export-form.js";
import { refusalWords, reportWords } from "./import-words.js";
import { fileName, titleOf } from "./titles.js";

/** What came of a file. */
export interface Imported {
  /** Of the new conversation; missing where the file was refused. */
  id?: string;
  /** In words: what was taken in, and what was not as it should be. */
  words: string[];
}

/** The conversations that this browser keeps. */
export class Library {
  readonly catalog = new SessionCatalog();

  /** Newest first. Where nothing can be kept, `problem` is the code of the reason. */
  async list(): Promise<{ infos: SessionInfo[]; problem?: string }> {
    try {
      const infos = await this.catalog.list();
      return { infos: infos.filter(({ messageCount }) => messageCount > 0) };
    } catch (error) {
      return { infos: [], problem: error instanceof SessionError ? error.code : "failed" };
    }
  }

  /** Removes a conversation. Gives its file, to bring it back with. */
  async remove(id: string): Promise<string> {
    const file = await this.catalog.export(id);
    await this.catalog.remove(id);
    return file;
  }

  /** Saves a stored conversation as a file. Gives how many places were replaced. */
  async save(info: SessionInfo, choice: ExportChoice): Promise<number> {
    const tree = SessionTree.import(await this.catalog.export(info.id));
    try {
      return await saveTree(tree, titleOf(info), choice);
    } finally {
      tree.dispose();
    }
  }

  /** Takes a file in: a session file of Steersman or pi, or an exported page. */
  async import(file: File): Promise<Imported> {
    try {
      const text = await sessionIn(await file.text());
      const { id, reports } = await this.catalog.import(text);
      return { id, words: [`Imported ${file.name}.`, ...reportWords(reports)] };
    } catch (error) {
      const why = error instanceof SessionError ? refusalWords(error.code, error.line) : String(error);
      return { words: [`${file.name}: ${why}`] };
    }
  }
}

/** Saves a conversation as a file. Gives how many places were replaced. */
export async function saveTree(
  tree: SessionTree,
  title: string,
  { format, redact: wanted }: ExportChoice,
): Promise<number> {
  const name = `${fileName(title)}.${format}`;
  if (format === "html") {
    // Loaded when it is first needed.
    const { exportHtml } = await import("steersman/html");
    const { html, replaced } = exportHtml(tree, { title, redact: wanted ? {} : false });
    save(name, html, "text/html");
    return replaced;
  }
  const clean = wanted ? redact(tree) : { tree, replaced: 0 };
  save(name, clean.tree.export(), "application/jsonl");
  if (clean.tree !== tree) clean.tree.dispose();
  return clean.replaced;
}

/** The session file in a text: itself, or what an exported page holds. */
async function sessionIn(text: string): Promise<string> {
  if (!/^\s*</.test(text)) return text;
  const { importHtml } = await import("steersman/html");
  return importHtml(text);
}
