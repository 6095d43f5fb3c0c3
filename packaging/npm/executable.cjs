/** The path of the executable in this platform's package. Throws where there is none. */
exports.executable = () => {
  const name = `waxwing-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/waxwing`);
  } catch {
    throw new Error(
      `the package ${name} is not installed. npm installs it as an optional dependency: run npm install without --omit=optional. Waxwing has packages for linux-x64, linux-arm64 and darwin-arm64.`,
    );
  }
};
