import { useRef } from 'react';

/**
 * Returns the idempotency key of a creation: the same for the same values. So a user who tries again after a response
 * was lost does not create the thing twice.
 */
export function useCreationKey(): (values: object) => string {
  const last = useRef({ values: '', key: '' });
  return (values) => {
    const text = JSON.stringify(values);
    if (last.current.values !== text) last.current = { values: text, key: randomKey() };
    return last.current.key;
  };
}

/** 128 random bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
