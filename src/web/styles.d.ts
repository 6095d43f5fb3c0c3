/** The style sheet is the bundler's business; nothing of it is a value. */
declare module "*.css";
