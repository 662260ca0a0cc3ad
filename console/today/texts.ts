export const TODAY_TEXTS = {
  sold: 'Sold',
  soldDays: 'Sold per day',
  today: 'Today',
  week: 'Since Monday',
  days: (count: number) => `In ${count} days`,
  holds: 'Holds that expire next',
  expireToday: 'Expire today',
  atLeast: (count: string) => `${count} or more`,
  noHolds: 'No order waits to be handed over.',
  stock: 'Stock',
  allCategories: 'Show all categories',
  waiting: 'Waiting longest',
  allWaiting: 'Show all that wait',
  noneWaiting: 'No animal is for sale.',
  events: 'What happened last',
  /** Other verbs of events stand as they are. */
  happened: { created: 'added', updated: 'changed' },
  imported: (kind: string, count: number | undefined) =>
    `${count ?? ''} ${kind === 'pets' ? 'animals' : kind}`,
  searchHint: 'Name or id of an animal, then Enter',
  first: {
    title: 'Steps to open the shop',
    categories: 'Name the categories.',
    key: 'Create an API key for the counter.',
    animals: 'Add animals, or import a list of them.',
  },
} as const;
