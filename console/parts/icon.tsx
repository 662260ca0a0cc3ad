/** The drawings, as paths on a grid of 24. No icon font and no emoji: a browser may lack both. */
const PATHS = {
  animals: [
    'M12 12.2c-3 0-5.6 2.6-5.6 5.2 0 1.7 1.2 2.6 2.8 2.6 1.1 0 1.8-.5 2.8-.5s1.7.5 2.8.5c1.6 0 2.8-.9 2.8-2.6 0-2.6-2.6-5.2-5.6-5.2z',
    'M5.4 9.3a1.9 2.4 0 1 0 .01 0z',
    'M18.6 9.3a1.9 2.4 0 1 0 .01 0z',
    'M9.2 4.2a2 2.6 0 1 0 .01 0z',
    'M14.8 4.2a2 2.6 0 1 0 .01 0z',
  ],
  orders: ['M6 8h12l1 12H5z', 'M9 10V7a3 3 0 0 1 6 0v3'],
  categories: ['M3.5 12.5V4.5h8l9 9-8 8z', 'M8 9h.01'],
  keys: ['M15 9a4 4 0 1 0-3.5 4L14 15.5h2V18h2.5v2.5H21V17l-6.5-6.5', 'M10 8h.01'],
  today: ['M4 20h16', 'M6 20v-6a6 6 0 0 1 12 0v6', 'M12 3v2M4.5 7l1.5 1.5M19.5 7L18 8.5'],
  usage: ['M4 20h16', 'M7 16v-5M12 16V5M17 16v-8'],
  webhooks: ['M12 12h.01', 'M8 16a6 6 0 0 1 0-8M16 8a6 6 0 0 1 0 8'],
  plus: ['M12 5v14M5 12h14'],
  close: ['M6 6l12 12M18 6L6 18'],
  previous: ['M14 6l-6 6 6 6'],
  leave: ['M10 4H5v16h5', 'M14 8l4 4-4 4M18 12H9'],
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. The text beside it says what it means. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {PATHS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
