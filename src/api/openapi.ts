/** The OpenAPI document. */
export function openApiText(): string {
  return "{}\n";
}
