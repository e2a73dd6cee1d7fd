import { defineConfig, type Plugin } from "vite";

/**
 * What the built page may do. `wasm-unsafe-eval` lets wasm compile (it does not allow `eval`); `blob:` is for the worker
 * of the in-page model; people bring their own endpoint, so connections are open.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src blob:",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self' blob: http: https:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The development server needs inline styles for hot reloading, so the policy is for the built page only. */
const contentSecurityPolicy: Plugin = {
  name: "content-security-policy",
  apply: "build",
  transformIndexHtml: () => [
    {
      tag: "meta",
      attrs: { "http-equiv": "Content-Security-Policy", content: policy },
      injectTo: "head-prepend",
    },
  ],
};

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  // A missing file is a 404, not the page again: that is how the page learns that it has no weights.
  appType: "mpa",
  plugins: [contentSecurityPolicy],
  build: {
    target: ["chrome114", "firefox115", "safari16.4"],
    // `public` holds a link to the weights of the in-page model, which are not part of a build.
    copyPublicDir: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
  },
});
