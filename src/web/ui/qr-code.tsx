/** A QR code from its rows of modules, `1` is dark. Dark on white in both themes: some cameras cannot read inverted codes. */

/** Light modules around the code, which readers need. */
const QUIET = 4;

export function QrCode({ modules, label }: { modules: readonly string[]; label: string }) {
  const size = sizeOf(modules);
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} className="w-52 self-center">
      <rect width={size} height={size} fill="white" />
      <path d={pathOf(modules)} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}

/** The code as a file for print shops. */
export function qrFile(modules: readonly string[]): string {
  const size = sizeOf(modules);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${pathOf(modules)}" shape-rendering="crispEdges"/></svg>`;
}

function sizeOf(modules: readonly string[]): number {
  return modules.length + 2 * QUIET;
}

function pathOf(modules: readonly string[]): string {
  return modules
    .flatMap((row, y) => [...row].flatMap((bit, x) => (bit === "1" ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])))
    .join("");
}
