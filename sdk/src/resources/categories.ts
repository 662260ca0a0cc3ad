import type { Call } from '../call.ts';
import type { Category, CategoryName, CountedCategory, ListCategoriesQuery } from '../generated.ts';
import type { Int64Input, Int64Mode, Int64Output } from '../int64.ts';
import { List } from '../list.ts';
import type { CallOptions, ChangeOptions, PutOptions } from '../options.ts';
import { pathOf, toQuery } from '../requests.ts';
import { Resource } from './resource.ts';

const PATH = '/categories';

/** The records of categories. Beta. */
export class Categories<Mode extends Int64Mode> extends Resource {
  /** Lists categories with the counts of their animals, ascending by id, or with `sort: '-id'` descending. */
  list(
    query: ListCategoriesQuery = {},
    options?: CallOptions,
  ): List<CountedCategory<Int64Output<Mode>>> {
    return new List(this.core, PATH, toQuery(query), options);
  }

  /** Fetches one category. */
  get(id: Int64Input<Mode>, options?: CallOptions): Call<Category<Int64Output<Mode>>> {
    return this.core.call('GET', () => pathOf(PATH, id), options);
  }

  /** Creates the record of a category, or renames the category. The client chooses the id. */
  put(
    id: Int64Input<Mode>,
    category: CategoryName,
    options?: PutOptions,
  ): Call<Category<Int64Output<Mode>>> {
    return this.core.call('PUT', () => pathOf(PATH, id), options, category);
  }

  /** Removes the record of a category, unless animals belong to it. */
  delete(id: Int64Input<Mode>, options?: ChangeOptions): Call<void> {
    return this.core.call('DELETE', () => pathOf(PATH, id), options);
  }
}
