/** What a message says, without images. */
export const textOf = (content: string | readonly { type: string; text?: string }[]): string =>
  typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");
