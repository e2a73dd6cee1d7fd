/** The style of an exported page. Constant, so that the policy of the page can name its hash. */

/** SHA-256 of `STYLE`, as a policy names it; a test compares. */
export const STYLE_HASH = "sha256-gh5T50rpq692oD0JekNGeeGI70Hh6A/VFXeJdFSnKFM=";

export const STYLE = `
:root{color-scheme:light dark;--bg:#fdfdfc;--fg:#1d2228;--dim:#59636e;--line:#d9dee3;--card:#f3f5f7;--code:#eceff2;--link:#0b57a4;--user:#e6f0fa;--useredge:#2f7cc4;--warn:#a8201a;--warnbg:#fdeeec;--note:#fbf5e3;--noteedge:#c59a2a}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e3e7eb;--dim:#9aa5b1;--line:#323a42;--card:#1c2126;--code:#242a31;--link:#7db8f0;--user:#192a3b;--useredge:#4c94d8;--warn:#ff9d94;--warnbg:#33201e;--note:#2a2517;--noteedge:#b08a2c}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:50rem;background:var(--bg);color:var(--fg);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
:target{outline:2px solid var(--useredge);outline-offset:4px}
header{border-bottom:1px solid var(--line);margin-bottom:1.5rem;padding-bottom:1rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .75rem}
.about{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:0;font-size:.875rem}
.about div{display:flex;gap:.4rem}
.about dt{color:var(--dim)}
.about dd{margin:0}
nav{margin-bottom:1.5rem}
nav ol{margin:.5rem 0;padding-left:2rem}
article{position:relative;margin:0 0 1.25rem}
article>h2{display:inline-block;font-size:.875rem;line-height:1.5;margin:0 .75rem .25rem 0;font-weight:650}
.when{font-size:.8125rem;color:var(--dim);text-decoration:none}
.when:hover{text-decoration:underline}
.user{background:var(--user);border-left:3px solid var(--useredge);border-radius:.375rem;padding:.625rem 1rem}
.summary,.other{background:var(--note);border-left:3px solid var(--noteedge);border-radius:.375rem;padding:.625rem 1rem}
.result,.system{margin-top:-.5rem}
.result>h2,.system>h2{color:var(--dim);font-weight:500}
p,ul,ol,blockquote,dl,pre{margin:.4rem 0}
p,blockquote{white-space:pre-wrap}
h3{font-size:1.0625rem;line-height:1.35;margin:1rem 0 .4rem}
h3.h1{font-size:1.25rem}
h3.h2{font-size:1.15rem}
ul,ol{padding-left:1.5rem}
li.d1{margin-left:1.25rem}
li.d2{margin-left:2.5rem}
li.d3{margin-left:3.75rem}
blockquote{border-left:3px solid var(--line);margin-left:0;padding-left:.875rem;color:var(--dim)}
hr{border:0;border-top:1px solid var(--line);margin:1rem 0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code{background:var(--code);border-radius:.25rem;padding:.1em .3em}
pre{background:var(--code);border-radius:.375rem;padding:.625rem .75rem;overflow:auto;max-height:28rem;line-height:1.45;tab-size:4;white-space:pre-wrap}
img{display:block;max-width:100%;max-height:32rem;border-radius:.375rem;margin:.5rem 0;background:#fff}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--dim);font-size:.875rem;padding:.125rem 0}
summary code{color:var(--fg)}
.call,.data,.thinking{border:1px solid var(--line);border-radius:.375rem;background:var(--card);padding:.375rem .75rem}
.call>:last-child,.data>:last-child,.thinking>:last-child{margin-bottom:.375rem}
.call pre,.data pre{margin:.25rem 0}
.call dt,.data dt{font-size:.8125rem;color:var(--dim);margin-top:.25rem}
.call dd,.data dd{margin:0}
.thinking>:not(summary){color:var(--dim);font-style:italic}
.id{font-size:.75rem;color:var(--dim)}
.failed .call{border-color:var(--warn)}
.failure{color:var(--warn);background:var(--warnbg);border-radius:.375rem;padding:.5rem .75rem}
.facts,.note{font-size:.8125rem;color:var(--dim)}
.aside{margin:0 0 1rem;font-size:.875rem}
.aside .note{text-align:center;margin:0}
.aside+.aside{margin-top:-.625rem}
.label{display:inline-block;background:var(--noteedge);color:#1d1600;border-radius:1rem;font-size:.75rem;font-weight:600;padding:.05rem .6rem}
.branch{border:1px dashed var(--line);border-radius:.5rem;padding:.375rem .75rem;margin:0 0 1.25rem}
.branch>div{padding-top:.75rem}
.preview{color:var(--fg)}
.preview:not(:empty)::before{content:"\\2014  ";color:var(--dim)}
footer{border-top:1px solid var(--line);margin-top:2.5rem;color:var(--dim);font-size:.8125rem}
@media(max-width:32rem){body{padding:1rem .75rem 3rem}h1{font-size:1.375rem}.user,.summary,.other{padding:.5rem .75rem}.branch{padding:.375rem .5rem}}
@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#fff;--code:#f4f4f4;--link:#000;--user:#f4f4f4;--note:#f8f8f8;--warn:#800;--warnbg:#fff}body{max-width:none;font-size:10.5pt}nav{display:none}pre{max-height:none;overflow:visible}article>h2{break-after:avoid}img,pre,blockquote{break-inside:avoid-page}details::details-content{content-visibility:visible;display:block;height:auto}}
`;
