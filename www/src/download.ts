/** Gives the user a file. */
export function save(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The download has the data by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
