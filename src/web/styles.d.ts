/** The bundler handles style sheets; importing one yields no value. */
declare module "*.css";
