/** Imported with `{ type: 'file' }`: the path of the file, also in an executable. */
declare module '*.md' {
  const path: string;
  export default path;
}
