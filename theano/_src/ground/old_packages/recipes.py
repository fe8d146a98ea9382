def print_recipe(words):
    return 0
