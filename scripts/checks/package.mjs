// The packed tarball, as users install it: pkg-tests.
import "../../pkg-tests/run.mjs";
