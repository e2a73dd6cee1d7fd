export { importHtml } from "./embed.js";
export { exportHtml, type HtmlExport, type HtmlOptions } from "./page.js";
