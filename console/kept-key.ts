/** The API key is kept for this tab only, until it is closed. */
const STORAGE_KEY = 'animal-store-key';

export const keptKey = (): string | null => sessionStorage.getItem(STORAGE_KEY);
export const isKeyKept = (): boolean => keptKey() !== null;
export const keepKey = (secret: string): void => sessionStorage.setItem(STORAGE_KEY, secret);
export const forgetKey = (): void => sessionStorage.removeItem(STORAGE_KEY);
