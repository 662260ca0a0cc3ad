/** The texts of the screen. */
export const CATEGORIES_TEXTS = {
  title: 'Categories',
  introduction: 'A category is a number. Give it a name here.',
  searchHint: 'Search by name',
  add: 'Name a category',
  rename: 'Rename',
  saved: (name: string) => `Category ${name} was saved.`,
  deleted: (name: string) => `Category ${name} was deleted.`,
  categoryId: 'Category id',
  confirmRename: (id: string, name: string) =>
    `Category ${id} is already named “${name}”. Rename it?`,
  keepName: 'Keep the name',
  confirmDelete: (name: string) => `Delete the name “${name}”?`,
  noneNamed: (text: string) => `No category's name contains “${text}”`,
  none: 'No category has a name yet',
  noneHint: 'Name the first category: the name appears beside its animals.',
} as const;
