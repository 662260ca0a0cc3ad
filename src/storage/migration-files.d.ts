/** Imported with `{ type: 'text' }`: the content of the file, which an executable contains. */
declare module '*.sql' {
  const text: string;
  export default text;
}
