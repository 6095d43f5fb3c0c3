/** Loaded before every test file: the whole suite runs in UTC and fails loudly on a promise that nobody handled. */
process.env.TZ = "UTC";
