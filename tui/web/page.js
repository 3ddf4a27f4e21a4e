// Keys go to the app from the start, without a click into the page first.
addEventListener("load", () => {
  const looking = setInterval(() => {
    const typed = document.querySelector(".xterm-helper-textarea");
    if (typed && document.body.classList.contains("-first-byte")) {
      typed.focus();
      clearInterval(looking);
    }
  }, 100);
});
