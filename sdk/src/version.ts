/** The version of this package. A test compares it with package.json. */
export const VERSION: string = '1.0.0';
