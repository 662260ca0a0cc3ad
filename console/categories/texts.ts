export const CATEGORIES_TEXTS = {
  introduction: 'What kinds of animals there are.',
  searchHint: 'Search by name',
  add: 'Add a category',
  rename: 'Rename',
  saved: (name: string) => `Category ${name} was saved.`,
  deleted: (name: string) => `Category ${name} was deleted.`,
  unnamed: (id: string) => `Category ${id}`,
  categoryId: 'Category id',
  idHint: 'The next free number. Other programs know the category by it.',
  confirmRename: (id: string, name: string) =>
    `Category ${id} is already named “${name}”. Rename it?`,
  keepName: 'Keep the name',
  confirmDelete: (name: string) => `Delete the category “${name}”?`,
  isEmpty: 'No animal belongs to it.',
  inUse: (name: string) => `Animals belong to “${name}”`,
  inUseHint: (count: string) =>
    `${count} of them: only a category without animals can be deleted. Give them another category first.`,
  noneNamed: (text: string) => `No category's name contains “${text}”`,
  none: 'No category has a name yet',
  noneHint: 'The name of a category appears beside its animals.',
  addFirst: 'Add the first category',
} as const;
