// A content script, which lives under the policy of the page.
import { init } from "steersman";

init()
  .then(
    () => "loaded",
    ({ code }) => code,
  )
  .then((said) => {
    document.documentElement.title = said;
  });
