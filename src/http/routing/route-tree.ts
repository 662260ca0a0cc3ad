/**
 * Paths and the routes mounted at them, as a tree of segments.
 * @typeParam Route what is mounted.
 */
export class RouteNode<Route> {
  /** The routes at this path, by method. */
  readonly routes = new Map<string, Route>();
  readonly #literals = new Map<string, RouteNode<Route>>();
  #parameter: { readonly name: string; readonly node: RouteNode<Route> } | undefined;

  /** Mounts a route at a pattern such as `/v1/pets/{petId}`. */
  mount(method: string, pattern: string, route: Route): void {
    const segments = pattern.split('/').slice(1);
    segments
      .reduce<RouteNode<Route>>((node, segment) => node.#child(segment), this)
      .routes.set(method, route);
  }

  #child(segment: string): RouteNode<Route> {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name !== undefined) {
      this.#parameter ??= { name, node: new RouteNode() };
      return this.#parameter.node;
    }
    const known = this.#literals.get(segment) ?? new RouteNode();
    this.#literals.set(segment, known);
    return known;
  }

  /** The route for a method and a decoded path. The values of its path parameters are added to `parameters`. */
  find(method: string, path: string, parameters: Record<string, string>): Route | undefined {
    const node = this.search(path, 1, parameters, ({ routes }) => routes.has(method));
    return node?.routes.get(method);
  }

  /** The methods of all routes that match a path. */
  methodsAt(path: string): Set<string> {
    const methods = new Set<string>();
    this.search(path, 1, {}, ({ routes }) => {
      for (const method of routes.keys()) methods.add(method);
      return false;
    });
    return methods;
  }

  /**
   * The first node at a path that is accepted. A literal segment takes precedence over a
   * parameter: `/pets/batch` over `/pets/{petId}`.
   * @param start the index in `path` of the segment below this node.
   */
  search(
    path: string,
    start: number,
    parameters: Record<string, string>,
    accept: (node: RouteNode<Route>) => boolean,
  ): RouteNode<Route> | undefined {
    if (start > path.length) return accept(this) ? this : undefined;
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(start, end);
    const found = this.#literals.get(segment)?.search(path, end + 1, parameters, accept);
    // A trailing slash makes an empty last segment, which is not a parameter's value.
    if (found !== undefined || this.#parameter === undefined || segment === '') return found;
    const { name, node } = this.#parameter;
    const foundBelow = node.search(path, end + 1, parameters, accept);
    if (foundBelow !== undefined) parameters[name] = segment;
    return foundBelow;
  }
}
