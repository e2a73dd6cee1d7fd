// A file that the user has picked, as browsers give it: what is written is there when the stream is closed.

export function fileHandle(text = "") {
  let bytes = new TextEncoder().encode(text);
  const handle = {
    permission: "granted",
    answer: "granted",
    get text() {
      return new TextDecoder().decode(bytes);
    },
    queryPermission: async () => handle.permission,
    async requestPermission() {
      handle.permission = handle.answer;
      return handle.answer;
    },
    getFile: async () => new Blob([bytes]),
    async createWritable({ keepExistingData }) {
      if (handle.permission !== "granted") throw new DOMException("no", "NotAllowedError");
      let draft = keepExistingData ? bytes : new Uint8Array();
      return {
        async write({ position, data }) {
          const next = new Uint8Array(Math.max(draft.length, position + data.length));
          next.set(draft);
          next.set(data, position);
          draft = next;
        },
        async truncate(size) {
          draft = draft.slice(0, size);
        },
        async close() {
          bytes = draft;
        },
        async abort() {},
      };
    },
  };
  return handle;
}
