import { reading, writing } from '../http/contract/handler.ts';
import { deleteCategory, handleDeleteCategory } from './delete-category.ts';
import { getCategory, handleGetCategory } from './get-category.ts';
import { handleListCategories, listCategories } from './list-categories.ts';
import { handlePutCategory, putCategory } from './put-category.ts';

export const categoryOperations = [
  reading(listCategories, handleListCategories),
  reading(getCategory, handleGetCategory),
  writing(putCategory, handlePutCategory, ({ params }) => `categories/${params.categoryId}`),
  writing(deleteCategory, handleDeleteCategory, ({ params }) => `categories/${params.categoryId}`),
];
