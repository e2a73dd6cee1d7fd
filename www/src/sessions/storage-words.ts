/** What is wrong with the storage of the browser, in words that help. */
export interface Trouble {
  title: string;
  advice: string;
}

/** @param code of a `SessionError`, or of an `AgentError` (`storage_...`) */
export function storageTrouble(code: string, unsaved = 0): Trouble {
  const kept = unsaved > 0 ? `${entries(unsaved)} not stored yet, and kept in this tab. ` : "";
  switch (code.replace(/^storage_/, "")) {
    case "quota":
      return {
        title: "The storage of this browser is full",
        advice: `${kept}Delete conversations that you no longer need, or save a copy of this one.`,
      };
    case "blocked":
      return {
        title: "Another tab holds the storage in an older version",
        advice: `${kept}Close the other tabs of this page, then reload.`,
      };
    case "version":
      return {
        title: "Another tab has brought the storage to a newer version",
        advice: `${kept}Save a copy if you need what is not stored, then reload.`,
      };
    case "unavailable":
      return {
        title: "This browser keeps nothing for this page",
        advice:
          "Perhaps the window is private, or storage is switched off. The conversation is kept in memory only and is gone when the page closes.",
      };
    case "corrupt":
      return {
        title: "What was stored is damaged",
        advice: `${kept}Save a copy of what is here, and begin a new conversation.`,
      };
    default:
      return {
        title: "The conversation could not be stored",
        advice: `${kept}It is kept in this tab. Save a copy to be safe; storing is tried again with the next message.`,
      };
  }
}

const entries = (count: number): string => (count === 1 ? "One entry is" : `${count} entries are`);
