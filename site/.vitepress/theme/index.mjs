// Extends VitePress's theme, and corrects the faults of accessibility that axe-core finds in it.
import DefaultTheme from 'vitepress/theme';
import { nextTick, onMounted, watch } from 'vue';
import { useRoute } from 'vitepress';
import './style.css';

/**
 * Takes the arrow of a section out of the order of the keyboard, since the section around it is a button already, and lets the search
 * button have its text as its name.
 */
function mend() {
  document.querySelector('.DocSearch-Button')?.removeAttribute('aria-label');
  for (const arrow of document.querySelectorAll('.VPSidebarItem > .item[role=button] > .caret')) {
    for (const name of ['role', 'tabindex', 'aria-label']) arrow.removeAttribute(name);
    arrow.setAttribute('aria-hidden', 'true');
  }
}

export default {
  extends: DefaultTheme,
  setup() {
    onMounted(mend);
    watch(useRoute(), () => nextTick(mend));
  },
};
