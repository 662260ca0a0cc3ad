import { useRef } from 'react';

interface CreationKey {
  /** The same for the same values: a user who tries again after a response was lost does not create the thing twice. */
  readonly keyOf: (values: object) => string;
  /** After a creation, the same values are another thing. */
  readonly renew: () => void;
}

/** The idempotency key of a creation. */
export function useCreationKey(): CreationKey {
  const last = useRef({ values: '', key: '' });
  return {
    keyOf: (values) => {
      const text = JSON.stringify(values);
      if (last.current.values !== text) last.current = { values: text, key: randomKey() };
      return last.current.key;
    },
    renew: () => {
      last.current = { values: '', key: '' };
    },
  };
}

/** 128 random bits. Pages that are not served over HTTPS have no `crypto.randomUUID`. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
