"""What a stop of a lesson shows, click by click, as pictures that are painted and written."""
