/* dom.js - elements from names, attributes and children. Whatever comes from a trace becomes text, never markup. */

/**
 * An element. `on...` attributes are listeners; null, undefined and false leave an attribute out.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    setAll(element, attributes);
    element.append(...children.filter((child) => child !== null));
    return element;
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Node|string)} children
 */
export function makeSvg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    setAll(element, attributes);
    element.append(...children);
    return element;
}

/** @param {Element} element @param {Record<string, any>} attributes */
function setAll(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on'))
            element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            element.setAttribute(name, value === true ? '' : String(value));
    }
}

/**
 * A button that looks like a link: it moves the view.
 * @param {string} text
 * @param {() => void} act
 * @param {Record<string, any>} [attributes]
 */
export function link(text, act, attributes = {}) {
    return make('button', { type: 'button', class: 'link', onclick: act, ...attributes }, text);
}

/** A name from a trace: isolated, so that marks of direction in it turn nothing around it. @param {string} text */
export function nameOf(text) {
    return make('bdi', {}, text);
}

/** Whether keys go to a field of text. @param {KeyboardEvent} event */
export function isTyping(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** @type {Map<string, () => void>} */
const keys = new Map();

/** @param {KeyboardEvent} event */
function takeKey(event) {
    const act = keys.get(event.key);
    if (act === undefined || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey)
        return;
    event.preventDefault();
    act();
}

/** What a key does anywhere on the page but in a field of text, instead of what it did.
 *  @param {string} key @param {() => void} act */
export function onKey(key, act) {
    keys.set(key, act);
    document.addEventListener('keydown', takeKey);
}
